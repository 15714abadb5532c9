/** The schemas import functions that make ids; the browser never calls them. */
const unavailable = () => {
  throw new Error("Not available in the browser")
}

export const randomBytes = unavailable
export const createHash = unavailable
export const createHmac = unavailable
export const timingSafeEqual = unavailable
