/**
 * Tables of sessions, links in mail and open invitations. After a restore, people sign in again and
 * need new invitation links.
 */
export const NOT_BACKED_UP = ["sessions", "verifications", "password_resets", "invitations"]
