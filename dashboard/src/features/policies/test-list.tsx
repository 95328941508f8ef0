import { Anchor, Badge, Button, Group, List, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { StoredTest, TestRun } from './stored-test.ts'

interface TestListProps {
  readonly stored: readonly StoredTest[]
  readonly run: TestRun | undefined
  readonly onLine: (line: number) => void
  readonly onEdit: ((test: StoredTest) => void) | undefined
  readonly onRun: ((id: string) => void) | undefined
}

type Result = TestRun['results'][number]

/** Stored tests with their last results, and the results of the document's own cases. Failed ones come first. */
export function TestList({ stored, run, onLine, onEdit, onRun }: TestListProps) {
  const { t } = useTranslation('policies')
  const results = run?.results ?? []
  const known = new Set(stored.map(({ id }) => id))
  const rows = [
    ...results.filter(({ id }) => id === null || !known.has(id)).map((result) => ({ result, test: undefined })),
    ...stored.map((test) => ({ test, result: results.find(({ id }) => id === test.id) })),
  ].toSorted((one, other) => rankOf(one.result) - rankOf(other.result))
  return (
    <List
      listStyleType="none"
      spacing="xs"
      aria-label={t('tests.results')}
      styles={{ itemWrapper: { display: 'flex' }, itemLabel: { width: '100%' } }}
    >
      {rows.map(({ result, test }, index) => (
        <List.Item key={test?.id ?? `${index} ${result?.name}`}>
          <Group gap="xs" justify="space-between" wrap="nowrap" align="flex-start">
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <Outcome result={result} />
              <TestName result={result} test={test} onLine={onLine} />
            </Group>
            {test && (
              <Group gap={4} wrap="nowrap">
                <Button
                  size="compact-xs"
                  variant="default"
                  disabled={!onRun}
                  aria-label={t('tests.runOne', { name: test.name })}
                  onClick={() => onRun?.(test.id)}
                >
                  {t('tests.runShort')}
                </Button>
                {onEdit && (
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={t('tests.editOne', { name: test.name })}
                    onClick={() => onEdit(test)}
                  >
                    {t('form.edit')}
                  </Button>
                )}
              </Group>
            )}
          </Group>
          {result?.failures.map((failure) => (
            <Text key={failure} size="sm" pl="md">
              {failure}
            </Text>
          ))}
        </List.Item>
      ))}
    </List>
  )
}

const rankOf = (result: Result | undefined): number => (result === undefined ? 2 : result.ok ? 1 : 0)

function Outcome({ result }: { readonly result: Result | undefined }) {
  const { t } = useTranslation('policies')
  if (!result) return <Badge color="gray">{t('tests.notRun')}</Badge>
  return <Badge color={result.ok ? 'green' : 'red'}>{t(result.ok ? 'tests.passed' : 'tests.failed')}</Badge>
}

interface TestNameProps extends Pick<TestListProps, 'onLine'> {
  readonly result: Result | undefined
  readonly test: StoredTest | undefined
}

function TestName({ result, test, onLine }: TestNameProps) {
  const line = result?.line
  if (!test && result?.file === null && line) {
    return (
      <Anchor component="button" type="button" size="sm" ta="start" onClick={() => onLine(line)}>
        {result.name}
      </Anchor>
    )
  }
  return <Text size="sm">{test?.name ?? result?.name}</Text>
}
