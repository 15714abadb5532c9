import { testWorld } from "../test-world.ts"

testWorld("clocks")
