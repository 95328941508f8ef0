import { Alert, Anchor, Button, FileButton, Group, List, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { ResponseOf } from '../../api/operations.ts'
import { useChange } from '../../api/queries.ts'
import { ErrorState } from '../../ui/error-state.tsx'

interface TestsPanelProps {
  readonly source: string
  /** The document is valid. */
  readonly ready: boolean
  readonly onLine: (line: number) => void
}

type Run = ResponseOf<'post', '/admin/v1/policy-sets/test'>

/** Runs the tests of the document and of its test files. */
export function TestsPanel({ source, ready, onLine }: TestsPanelProps) {
  const [files, setFiles] = useState<Readonly<Record<string, string>>>({})
  const test = useChange('post', '/admin/v1/policy-sets/test')
  const run = (testFiles = files) => test.mutate({ body: { source, files: { ...testFiles } } })
  const add = async (selected: readonly File[], missing: readonly string[]) => {
    const entries = await Promise.all(selected.map(async (file) => [nameFor(file, missing), await file.text()] as const))
    const all = { ...files, ...Object.fromEntries(entries) }
    setFiles(all)
    run(all)
  }
  return (
    <Stack>
      <Group>
        <Button disabled={!ready} loading={test.isPending} onClick={() => run()}>
          Run tests
        </Button>
        {!ready && <Text size="sm">Fix the problems first.</Text>}
      </Group>
      {test.error && <ErrorState error={test.error} />}
      {test.data && test.variables?.body?.source !== source && (
        <Alert color="yellow" variant="light" role="status">
          The draft changed after this run. Run the tests again.
        </Alert>
      )}
      {test.data && <Results run={test.data} onLine={onLine} onFiles={add} />}
      {!test.data && (
        <Text size="sm" c="dimmed">
          Add test cases under <code>tests:</code> in the document, each with a point, an input and the expected decision.
        </Text>
      )}
    </Stack>
  )
}

/** Path of a file in the document. Browsers only provide the file name. */
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
        {results.length === 0 && '. The document has no tests.'}
      </Alert>
      {missing.length > 0 && <MissingFiles missing={missing} onFiles={onFiles} />}
      {errors.map(({ file, line, message }) => (
        <Text key={`${file} ${line} ${message}`} size="sm" c="red">
          {file}, line {line}: {message}
        </Text>
      ))}
      <List listStyleType="none" spacing={4} aria-label="Test results">
        {results
          .toSorted((one, other) => Number(one.ok) - Number(other.ok))
          .map((result) => (
            <ResultItem key={`${result.file} ${result.line} ${result.name}`} result={result} onLine={onLine} />
          ))}
      </List>
    </Stack>
  )
}

function MissingFiles({ missing, onFiles }: Pick<Run, 'missing'> & Pick<ResultsProps, 'onFiles'>) {
  return (
    <Group gap="xs">
      <Text size="sm">Missing test files: {missing.join(', ')}.</Text>
      <FileButton multiple accept=".yaml,.yml" onChange={(files) => void onFiles(files, missing)}>
        {(props) => (
          <Button {...props} size="xs" variant="default">
            Choose files
          </Button>
        )}
      </FileButton>
    </Group>
  )
}

interface ResultItemProps extends Pick<ResultsProps, 'onLine'> {
  readonly result: Run['results'][number]
}

function ResultItem({ result: { ok, file, line, name, failures }, onLine }: ResultItemProps) {
  return (
    <List.Item>
      <Text size="sm" component="div">
        <Text span fw={600} c={ok ? 'green' : 'red'}>
          {ok ? 'Passed' : 'Failed'}
        </Text>{' '}
        {file === null ? (
          <Anchor component="button" type="button" size="sm" ta="start" onClick={() => onLine(line)}>
            {name}
          </Anchor>
        ) : (
          name
        )}
      </Text>
      {failures.map((failure) => (
        <Text key={failure} size="sm" pl="md">
          {failure}
        </Text>
      ))}
    </List.Item>
  )
}
