"""What simple plants of control logics share: time in steps, commands, and the phases that were seen."""

H = 0.02


class ControlPlant:
    """A plant whose `step` ends in `saw`, with the names of its logic's commands."""

    COMMANDS: tuple[str, ...] = ()

    def __init__(self):
        self.command, self.now, self.seen = "hold", "idle", ["idle"]

    @property
    def order(self):
        """The number of the command; one that is no name stays what it is."""
        return self.COMMANDS.index(self.command) if isinstance(self.command, str) else self.command

    def saw(self, phase):
        if phase != self.now:
            self.seen.append(phase)
        self.now = phase

    def run(self, command, until=None, most=100.0):
        """Steps under a command until a phase, or for `most` seconds; returns how long (s)."""
        self.command = command
        for k in range(round(most / H)):
            self.step()
            if self.now == until:
                return (k + 1) * H
        assert until is None, f"{self.now} instead of {until}, by {self.seen}"
        return most
