// Fails on citations of docs/contract, documents and tests that do not resolve, and on rules without a test.
import { citationProblems } from './contract.ts'
import { readRepositoryFiles } from './repository-files.ts'

const problems = citationProblems(readRepositoryFiles())
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
