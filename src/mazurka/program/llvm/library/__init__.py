"""The C library: functions by name, in modules by header. Each is called with the machine, the site of the call, and
the arguments."""
