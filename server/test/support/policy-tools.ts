import { DETECTORS } from '../../src/domains/classification/detectors.ts'
import { assess } from '../../src/domains/classification/risk.ts'
import { scan } from '../../src/domains/classification/scan.ts'
import type { TestTools } from '../../src/domains/policy/policy-test-reader.ts'

/** The real detectors, for policy tests. */
export const TEST_TOOLS: TestTools = {
  detect: (text) => scan([text], { detectors: DETECTORS, budgetMs: 10_000 }).counts,
  assess: (findings) => assess(findings, { classification: 'internal', risk: 'low' }),
}
