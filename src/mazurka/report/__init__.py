"""Reports: findings explained as data, and the data rendered for people and for tools."""
