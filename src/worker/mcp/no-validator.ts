/**
 * Replaces the runtime's part of the protocol's library: its validator of JSON schemas, which checks
 * the answers of people whom a tool asks. No tool asks anybody.
 */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error("No tool asks the user")
  }
}
