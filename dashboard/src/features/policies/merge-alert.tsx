import { Alert, Button, Code, Group, Modal, Stack, Tabs, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { DocumentView } from './document-view.tsx'
import { type Choice, type MergePart, mergeTexts, resolve } from './merge.ts'

interface MergeAlertProps {
  readonly title: string
  readonly hint: string
  readonly base: string
  readonly own: string
  readonly other: string
  /** Name of the other change: "v5", or an operator. */
  readonly their: string
  readonly onMerged: (text: string) => void
}

/** Says that another change was made to the same base, and merges both. */
export function MergeAlert({ title, hint, base, own, other, their, onMerged }: MergeAlertProps) {
  const { t } = useTranslation('policies')
  const [opened, { open, close }] = useDisclosure()
  return (
    <Alert
      color="yellow"
      variant="outline"
      role="alert"
      title={
        <Text inherit c="bright">
          {title}
        </Text>
      }
    >
      <Stack gap="sm">
        <Text size="sm">{hint}</Text>
        <Group>
          <Button size="xs" onClick={open}>
            {t('merge.open')}
          </Button>
        </Group>
      </Stack>
      <Modal opened={opened} onClose={close} size="xl" title={t('merge.title', { their })}>
        {opened && (
          <Merge
            {...{ base, own, other, their }}
            onMerged={(text) => {
              onMerged(text)
              close()
            }}
          />
        )}
      </Modal>
    </Alert>
  )
}

function Merge({ base, own, other, their, onMerged }: Omit<MergeAlertProps, 'title' | 'hint'>) {
  const { t } = useTranslation('policies')
  const [choices, setChoices] = useState<Readonly<Record<number, Choice>>>({})
  const parts = mergeTexts(own, base, other)
  const conflicts = parts.flatMap((part, index) => (part.kind === 'conflict' ? [{ part, index }] : []))
  const merged = resolve(parts, choices)
  return (
    <Stack>
      <Text size="sm">{conflicts.length === 0 ? t('merge.clean') : t('merge.conflicts', { count: conflicts.length })}</Text>
      {conflicts.map(({ part, index }) => (
        <Conflict
          key={index}
          {...{ part, their }}
          choice={choices[index]}
          onChoose={(choice) => setChoices({ ...choices, [index]: choice })}
        />
      ))}
      <Tabs defaultValue="result" keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="result">{t('merge.result')}</Tabs.Tab>
          <Tabs.Tab value="other">{t('merge.theirChanges', { their })}</Tabs.Tab>
          <Tabs.Tab value="own">{t('merge.myChanges')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="result">
          {merged === undefined ? <Text size="sm">{t('merge.choose')}</Text> : <DocumentView source={merged} since={other} />}
        </Tabs.Panel>
        <Tabs.Panel value="other">
          <DocumentView source={other} since={base} />
        </Tabs.Panel>
        <Tabs.Panel value="own">
          <DocumentView source={own} since={base} />
        </Tabs.Panel>
      </Tabs>
      <Group justify="flex-end">
        <Button disabled={merged === undefined} onClick={() => merged !== undefined && onMerged(merged)}>
          {t('merge.apply')}
        </Button>
      </Group>
    </Stack>
  )
}

interface ConflictProps {
  readonly part: MergePart & { readonly kind: 'conflict' }
  readonly their: string
  readonly choice: Choice | undefined
  readonly onChoose: (choice: Choice) => void
}

const CHOICES = ['own', 'other', 'both'] as const

/** Two changes of the same lines. */
function Conflict({ part, their, choice, onChoose }: ConflictProps) {
  const { t } = useTranslation('policies')
  const text = (lines: readonly string[]) => (lines.length === 0 ? t('merge.removed') : lines.join('\n'))
  return (
    <Stack gap={4} role="group" aria-label={t('merge.conflict')}>
      <Text size="sm" fw={600}>
        {t('merge.own')}
      </Text>
      <Code block tabIndex={0}>
        {text(part.own)}
      </Code>
      <Text size="sm" fw={600}>
        {their}
      </Text>
      <Code block tabIndex={0}>
        {text(part.other)}
      </Code>
      <Group gap="xs">
        {CHOICES.map((one) => (
          <Button
            key={one}
            size="xs"
            variant={choice === one ? 'filled' : 'default'}
            aria-pressed={choice === one}
            onClick={() => onChoose(one)}
          >
            {t(`merge.keep.${one}`, { their })}
          </Button>
        ))}
      </Group>
    </Stack>
  )
}
