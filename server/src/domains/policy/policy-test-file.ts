import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { parsePolicySet } from './parse.ts'
import type { PolicySet } from './policy.ts'
import { runCases, runPolicyTests, type TestReport, type TestTools } from './policy-test.ts'
import type { PolicyError } from './yaml.ts'

/** `lines`: for the terminal. Not ok: a case failed, a file is missing or invalid, or the document has no cases. */
export interface FileReport {
  readonly ok: boolean
  readonly lines: readonly string[]
}

/** Checks a policy document and runs its cases and the test files that it names. Their paths are relative to the document. */
export async function testPolicyFile(path: string, tools: TestTools): Promise<FileReport> {
  const source = await read(path)
  if (source === undefined) return { ok: false, lines: [`${path}: cannot be read`] }
  const parsed = parsePolicySet(source)
  if (!parsed.ok) return { ok: false, lines: formatErrors(path, parsed.errors) }
  const { set } = parsed
  if (set.tests.length + set.cases.length === 0) return { ok: false, lines: [`${path}: has no tests; add cases under tests:`] }
  const files = await Promise.all(set.tests.map((file) => runTestFile(set, resolve(dirname(path), file), file, tools)))
  const reports = [formatReports([...runCases(set, set.cases, tools)], path), ...files]
  const passed = reports.reduce((sum, report) => sum + report.passed, 0)
  const failed = reports.reduce((sum, report) => sum + report.failed, 0)
  const ok = reports.every((report) => report.ok)
  return { ok, lines: [...reports.flatMap(({ lines }) => lines), `${path}: ${passed} passed, ${failed} failed`] }
}

interface TestFileReport extends FileReport {
  readonly passed: number
  readonly failed: number
}

async function runTestFile(set: PolicySet, path: string, name: string, tools: TestTools): Promise<TestFileReport> {
  const source = await read(path)
  if (source === undefined) return { ok: false, lines: [`${name}: cannot be read`], passed: 0, failed: 0 }
  const { reports, errors } = runPolicyTests(set, source, tools)
  if (errors.length > 0) return { ok: false, lines: formatErrors(name, errors), passed: 0, failed: 0 }
  return formatReports(reports, name)
}

function formatReports(reports: readonly TestReport[], file: string): TestFileReport {
  const failing = reports.filter(({ failures }) => failures.length > 0)
  const lines = reports.flatMap(({ name, line, failures }) =>
    failures.length === 0
      ? [`ok    ${name}`]
      : [`FAIL  ${name} (${file}:${line})`, ...failures.map((failure) => `      ${failure}`)],
  )
  return { ok: failing.length === 0, lines, passed: reports.length - failing.length, failed: failing.length }
}

const read = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined)

const formatErrors = (path: string, errors: readonly PolicyError[]): string[] =>
  errors.map(({ line, column, field, message }) => `${path}:${line}:${column}: ${field ? `${field}: ` : ''}${message}`)
