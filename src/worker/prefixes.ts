/** Where the API lives below the base URL. */
export const API_PREFIX = "/api/v1"

/** Where the dashboard's own calls live, and its sign-in. */
export const DASHBOARD_PREFIX = "/dashboard/api"
export const AUTH_PREFIX = "/dashboard/auth"

/** Where Resend's API lives. */
export const RESEND_PREFIX = "/resend"
