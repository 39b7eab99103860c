-- When somebody asked an operation to be undone (Unix ms); the next look of its worker sees it.
ALTER TABLE operation ADD COLUMN cancel_asked BIGINT;
