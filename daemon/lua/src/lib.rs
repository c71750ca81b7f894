//! The script host: a sandboxed Luau VM a team, with limits that no script escapes.
