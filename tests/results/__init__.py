"""Result files: what they hold, what is saved of damaged ones, exports."""
