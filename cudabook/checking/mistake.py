"""What a check says when something does not hold."""


class Mistake(AssertionError):
    """One thing that is wrong with a learner's code.

    Attributes:
        name: a short name that tests and teachers can rely on, such as ``grid-rounded-down``.
        sentence: what was observed and what that means, for the learner. It never tells the expected values.
        details: further lines, such as the first wrong index with its inputs, or a compiler's message.
    """

    def __init__(self, name: str, sentence: str, *details: str):
        super().__init__("\n".join([sentence, *details]))
        self.name, self.sentence, self.details = name, sentence, list(details)
