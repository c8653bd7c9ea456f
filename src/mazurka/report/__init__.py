"""Say it: findings explained as data, and that data rendered for people and for tools."""
