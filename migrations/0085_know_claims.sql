-- Which claim took the email last: where its answer is lost, the claim gives back what is its own.
ALTER TABLE emails ADD COLUMN claimed_by TEXT;
