// What is wrong with the options is said before the rest is loaded, which takes seconds.
import "./dev-options.ts"

await import("./local-service.ts")
