// What is wrong with the options is said before the rest is loaded, which takes seconds.
import "./local/dev-options.ts"
import { endWithNpm } from "../lib/end-with-npm.ts"

endWithNpm("dev")
await import("./local/local-service.ts")
