/** Where images are public, on every hostname of the Worker. */
export const IMAGE_PATH = "/i/"
