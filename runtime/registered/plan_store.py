"""The plans that a decoder of registered records remembers, in two generations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime.registered.plans import PlanCost

if TYPE_CHECKING:
    from tidewire.runtime.registered.plans import RecordPlan

MOST_PLANS = 3 << 13
"""Plans of a generation; one that has more of them, or more than what follows, is followed by another."""
MOST_TEXT = 3 << 23
"""Characters of their schemas; a plan takes up some four times as many bytes."""
MOST_COLUMNS = 1 << 19
"""Columns of the layouts that plans have made; each takes up some fifty bytes."""


class PlanStore:
    """Plans by what is asked for.

    They are of two generations. When the young one is full, a new one begins: young plans become old, and old ones are
    dropped. An old plan that is asked for becomes young again, so those in use stay.

    Attributes:
        kept: what young plans take up; plans that make layouts add to it.
    """

    def __init__(self) -> None:
        self.young: dict[Any, RecordPlan] = {}
        self.old: dict[Any, RecordPlan] = {}
        self.kept = PlanCost()

    def find(self, asked: Any) -> RecordPlan | None:
        """The plan that was put for this; None where there is none, or none any more."""
        found: RecordPlan | None = self.young.get(asked)
        if found is None:
            found = self.old.get(asked)
            if found is not None:
                self.put(asked, found)
        return found

    def put(self, asked: Any, plan: RecordPlan) -> None:
        """Remembers a plan."""
        self.young[asked] = plan
        self.kept.characters += plan.kept.characters
        self.kept.columns += plan.kept.columns

    def replace(self, asked: Any, plan: RecordPlan) -> None:
        """Another plan is found for this from now on, one that is remembered already."""
        self.young[asked] = plan

    def is_full(self) -> bool:
        """Whether a new generation has to begin. Those who hold plans besides must forget them when it does."""
        kept = self.kept
        return len(self.young) > MOST_PLANS or kept.characters > MOST_TEXT or kept.columns > MOST_COLUMNS

    def age(self) -> None:
        """Begins a new generation."""
        self.old = self.young
        self.young = {}
        self.kept.characters = self.kept.columns = 0
