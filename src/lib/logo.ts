/** The logo of Edgepost: an envelope. It is the icon of all pages. */
export const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0f766e"/><path d="M7 10.5h18v12H7z M7 10.5l9 7 9-7" fill="none" stroke="#fff" stroke-width="2.25" stroke-linejoin="round"/></svg>'
