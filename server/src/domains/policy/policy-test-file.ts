import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { parsePolicySet } from './parse.ts'
import type { TestTools } from './policy-test-reader.ts'
import { runTests } from './run-tests.ts'
import { describePlace, type PolicyError } from './yaml.ts'

export async function testPolicyFile(path: string, tools: TestTools): Promise<{ ok: boolean; lines: readonly string[] }> {
  const source = await read(path)
  if (source === undefined) return { ok: false, lines: [`${path}: cannot be read`] }
  const parsed = parsePolicySet(source)
  if (!parsed.ok) return { ok: false, lines: parsed.errors.map((error) => describeError(path, error)) }
  const { set } = parsed
  if (set.tests.length + set.cases.length === 0) return { ok: false, lines: [`${path}: has no tests; add cases under tests:`] }
  const sources = await Promise.all(set.tests.map(async (file) => [file, await read(resolve(dirname(path), file))] as const))
  const files = Object.fromEntries(sources.filter(([, text]) => text !== undefined)) as Record<string, string>
  const { ok, results, missing, errors, passed, failed } = await runTests(set, { files, stored: [] }, tools, async () => {})
  const lines = [
    ...results.flatMap(({ ok, name, file, line, failures }) =>
      ok ? [`ok    ${name}`] : [`FAIL  ${name} (${file ?? path}:${line})`, ...failures.map((failure) => `      ${failure}`)],
    ),
    ...missing.map((file) => `${file}: cannot be read`),
    ...errors.map((error) => describeError(error.file, error)),
  ]
  return { ok, lines: [...lines, `${path}: ${passed} passed, ${failed} failed`] }
}

const read = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined)

function describeError(path: string, error: PolicyError): string {
  const { line, column, message } = error
  const place = describePlace(error)
  return `${path}:${line}:${column}: ${place ? `${place}: ` : ''}${message}`
}
