import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'conformance/**/*.test.ts'],
    setupFiles: ['test/support/seed.ts'],
    testTimeout: 60_000,
    // The machine the suite must pass on has two cores; more workers only fight for them.
    maxWorkers: 2,
  },
})

// biome-ignore lint/style/noDefaultExport: Vitest reads the default export of its configuration.
export default config
