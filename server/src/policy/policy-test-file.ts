import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { parsePolicySet } from './parse.ts'
import type { PolicySet } from './policy.ts'
import { runOwnTests, runPolicyTests, type TestReport, type TestTools } from './policy-test.ts'
import type { PolicyError } from './yaml.ts'

/** `lines` are for people. Not ok: a test failed, a file is missing or wrong, or there was nothing to run. */
export interface FileReport {
  readonly ok: boolean
  readonly lines: readonly string[]
}

/** Checks a policy document and runs the tests that it names, each relative to it. */
export async function testPolicyFile(path: string, tools: TestTools): Promise<FileReport> {
  const source = await read(path)
  if (source === undefined) return { ok: false, lines: [`${path}: cannot be read`] }
  const parsed = parsePolicySet(source)
  if (!parsed.ok) return { ok: false, lines: placed(path, parsed.errors) }
  const { set } = parsed
  if (set.tests.length + set.cases.length === 0) return { ok: false, lines: [`${path}: names no tests`] }
  const files = await Promise.all(set.tests.map((file) => testFile(set, resolve(dirname(path), file), file, tools)))
  const reports = [shown(runOwnTests(set, tools), path), ...files]
  const [passed, failed] = [
    reports.reduce((sum, report) => sum + report.passed, 0),
    reports.reduce((sum, report) => sum + report.failed, 0),
  ]
  const ok = reports.every((report) => report.ok)
  return { ok, lines: [...reports.flatMap(({ lines }) => lines), `${path}: ${passed} passed, ${failed} failed`] }
}

interface TestFileReport extends FileReport {
  readonly passed: number
  readonly failed: number
}

async function testFile(set: PolicySet, path: string, name: string, tools: TestTools): Promise<TestFileReport> {
  const source = await read(path)
  if (source === undefined) return { ok: false, lines: [`${name}: cannot be read`], passed: 0, failed: 0 }
  const { reports, errors } = runPolicyTests(set, source, tools)
  if (errors.length > 0) return { ok: false, lines: placed(name, errors), passed: 0, failed: 0 }
  return shown(reports, name)
}

function shown(reports: readonly TestReport[], file: string): TestFileReport {
  const failing = reports.filter(({ failures }) => failures.length > 0)
  const lines = reports.flatMap(({ name, line, failures }) =>
    failures.length === 0
      ? [`ok    ${name}`]
      : [`FAIL  ${name} (${file}:${line})`, ...failures.map((failure) => `      ${failure}`)],
  )
  return { ok: failing.length === 0, lines, passed: reports.length - failing.length, failed: failing.length }
}

const read = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined)

const placed = (path: string, errors: readonly PolicyError[]): string[] =>
  errors.map(({ line, column, field, message }) => `${path}:${line}:${column}: ${field ? `${field}: ` : ''}${message}`)
