import { holdToContract } from './contract/registry.ts'

await holdToContract(1, 4)
