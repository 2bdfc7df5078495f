//! Reactive state: pure values made reactive by `use_*` functions that return small `Copy` structs.
