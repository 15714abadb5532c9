/**
 * The tables of what lets somebody in at the moment. After a restore, everybody signs in again, and
 * who was invited needs a new link.
 */
export const NOT_BACKED_UP = ["sessions", "verifications", "password_resets", "invitations"]
