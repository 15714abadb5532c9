/** RFC 2047. By itself, so that the bundle leaves out the parser of the package. */
export { decodeWords } from "postal-mime"
