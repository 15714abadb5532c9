import { testWorld } from "../test-world.ts"

testWorld("sandbox")
