import { memorySubject } from "./memory.ts"
import { testRuntime } from "./suite.ts"

testRuntime("a runtime in memory keeps the contract", { make: async () => memorySubject() })
