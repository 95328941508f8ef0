import { Alert, Anchor, Button, FileButton, Group, List, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { AnswerOf } from '../../api/operations.ts'
import { useChange } from '../../api/queries.ts'
import { ErrorState } from '../../ui/error-state.tsx'

interface TestsPanelProps {
  readonly source: string
  /** The document is sound: its tests can be run. */
  readonly ready: boolean
  readonly onLine: (line: number) => void
}

type Run = AnswerOf<'post', '/admin/v1/policy-sets/test'>

/** Runs the document's tests, and those of files that it names. */
export function TestsPanel({ source, ready, onLine }: TestsPanelProps) {
  const [files, setFiles] = useState<Readonly<Record<string, string>>>({})
  const test = useChange('post', '/admin/v1/policy-sets/test')
  const run = (sent = files) => test.mutate({ body: { source, files: { ...sent } } })
  const add = async (chosen: readonly File[], missing: readonly string[]) => {
    const read = await Promise.all(chosen.map(async (file) => [nameFor(file, missing), await file.text()] as const))
    const all = { ...files, ...Object.fromEntries(read) }
    setFiles(all)
    run(all)
  }
  return (
    <Stack>
      <Group>
        <Button disabled={!ready} loading={test.isPending} onClick={() => run()}>
          Run the tests
        </Button>
        {!ready && <Text size="sm">Fix errors first.</Text>}
      </Group>
      {test.error && <ErrorState error={test.error} />}
      {test.data && test.variables?.body?.source !== source && (
        <Alert color="yellow" variant="light" role="status">
          The draft has changed since this run. Run the tests again.
        </Alert>
      )}
      {test.data && <Results run={test.data} onLine={onLine} onFiles={add} />}
      {!test.data && (
        <Text size="sm" c="dimmed">
          Cases stand under <code>tests:</code> of the document: a point, an input, and what is expected of it.
        </Text>
      )}
    </Stack>
  )
}

/** The name by which the document knows a file; browsers tell no folders. */
const nameFor = ({ name }: File, missing: readonly string[]): string =>
  missing.find((one) => one === name || one.endsWith(`/${name}`)) ?? name

interface ResultsProps {
  readonly run: Run
  readonly onLine: (line: number) => void
  readonly onFiles: (files: readonly File[], missing: readonly string[]) => Promise<void>
}

function Results({ run: { ok, passed, failed, results, missing, errors }, onLine, onFiles }: ResultsProps) {
  return (
    <Stack gap="sm">
      <Alert role="status" color={ok ? 'green' : failed > 0 ? 'red' : 'yellow'} variant="light">
        {passed} passed, {failed} failed
        {results.length === 0 && ': there was nothing to run'}
      </Alert>
      {missing.length > 0 && (
        <Group gap="xs">
          <Text size="sm">The document names {missing.join(', ')}.</Text>
          <FileButton multiple accept=".yaml,.yml" onChange={(files) => void onFiles(files, missing)}>
            {(props) => (
              <Button {...props} size="xs" variant="default">
                Choose {missing.length === 1 ? 'it' : 'them'}
              </Button>
            )}
          </FileButton>
        </Group>
      )}
      {errors.map(({ file, line, message }) => (
        <Text key={`${file} ${line} ${message}`} size="sm" c="red">
          {file}, line {line}: {message}
        </Text>
      ))}
      <List listStyleType="none" spacing={4} aria-label="Test results">
        {results
          .toSorted((one, other) => Number(one.ok) - Number(other.ok))
          .map((result) => (
            <List.Item key={`${result.file} ${result.line} ${result.name}`}>
              <Text size="sm" component="div">
                <Text span fw={600} c={result.ok ? 'green' : 'red'}>
                  {result.ok ? 'passed' : 'failed'}
                </Text>{' '}
                {result.file === null ? (
                  <Anchor component="button" type="button" size="sm" ta="start" onClick={() => onLine(result.line)}>
                    {result.name}
                  </Anchor>
                ) : (
                  result.name
                )}
              </Text>
              {result.failures.map((failure) => (
                <Text key={failure} size="sm" pl="md">
                  {failure}
                </Text>
              ))}
            </List.Item>
          ))}
      </List>
    </Stack>
  )
}
