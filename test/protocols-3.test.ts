import { holdToContract } from './contract/registry.ts'

await holdToContract(2, 4)
