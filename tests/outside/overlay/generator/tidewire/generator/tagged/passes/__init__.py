"""The passes over the words of tagged fields."""
