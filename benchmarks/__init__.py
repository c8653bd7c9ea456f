"""Every figure that is claimed or demanded, each by a measurement of its own: ``make bench`` (see ``__main__``)."""
