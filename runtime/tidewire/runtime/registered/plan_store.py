"""Cache of a decoder's reading plans, in two generations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime.registered.plans import PlanCost

if TYPE_CHECKING:
    from tidewire.runtime.registered.plans import RecordPlan

MOST_PLANS = 3 << 13
"""Maximum number of plans of a generation; a new generation begins when this or one of the following is exceeded."""
MOST_TEXT = 3 << 23
"""Maximum characters of their schemas; a plan takes about four times as many bytes."""
MOST_COLUMNS = 1 << 19
"""Maximum columns of the layouts that plans have made; each takes about fifty bytes."""


class PlanStore:
    """Plans by key.

    When the young generation is full, a new one begins: young plans become old, and old ones are dropped. An old plan
    that is used becomes young again, so plans in use remain.

    Attributes:
        kept: memory of the young plans; plans that make layouts add to it.
    """

    def __init__(self) -> None:
        self.young: dict[Any, RecordPlan] = {}
        self.old: dict[Any, RecordPlan] = {}
        self.kept = PlanCost()

    def find(self, asked: Any) -> RecordPlan | None:
        """The plan with this key; None: none, or dropped."""
        found: RecordPlan | None = self.young.get(asked)
        if found is None:
            found = self.old.get(asked)
            if found is not None:
                self.put(asked, found)
        return found

    def put(self, asked: Any, plan: RecordPlan) -> None:
        """Adds a plan."""
        self.young[asked] = plan
        self.kept.characters += plan.kept.characters
        self.kept.columns += plan.kept.columns

    def replace(self, asked: Any, plan: RecordPlan) -> None:
        """Replaces the plan with this key by one that is already cached."""
        self.young[asked] = plan

    def is_full(self) -> bool:
        """Whether a new generation must begin. Plans referenced elsewhere must then be dropped."""
        kept = self.kept
        return len(self.young) > MOST_PLANS or kept.characters > MOST_TEXT or kept.columns > MOST_COLUMNS

    def age(self) -> None:
        """Begins a new generation."""
        self.old = self.young
        self.young = {}
        self.kept.characters = self.kept.columns = 0
