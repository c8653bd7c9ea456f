"""When do two bookings commute? `mazurka spec check` finds no calls for which these conditions are wrong."""

from mazurka.commute import SharedType, Step


class Seats(SharedType):
    """Which person has which seat; `reserve` and `cancel` return whether they did it."""

    initials = (frozenset(),)
    scope = {"seat": ("1A", "1B"), "who": ("Ann", "Bob")}

    def reserve(self, s: frozenset, seat: str, who: str) -> Step:
        if any(seat == taken for taken, _ in s):
            return s, False
        return s | {(seat, who)}, True

    def cancel(self, s: frozenset, seat: str, who: str) -> Step:
        return s - {(seat, who)}, (seat, who) in s

    def taken(self, s: frozenset) -> Step:
        return s, len(s)

    coarse = """
        reserve || reserve        : seat1 != seat2 or not r1 and not r2
        reserve || cancel         : seat1 != seat2
        cancel  || cancel         : seat1 != seat2 or who1 != who2
        reserve, cancel || taken  : not r1
        taken   || taken          : True
    """
