/** In Resend's API, contacts need no book. Here, they are in the book with this name. */
export const DEFAULT_BOOK = "Contacts"
