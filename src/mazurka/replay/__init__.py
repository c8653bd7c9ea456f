"""Again, exactly: schedules, their files and tokens, replaying and shrinking them."""
