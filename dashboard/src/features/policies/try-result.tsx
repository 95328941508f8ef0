import { Anchor, Group, List, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { findingCounts, findingLabel } from '../../ui/finding-labels.ts'
import { Level } from '../../ui/level.tsx'
import { MarkedText } from '../../ui/marked-text.tsx'
import { RuleVerdict, Verdict } from '../../ui/verdict.tsx'
import type { TryResult as Result, TryBody } from './try-request.ts'

interface TryResultProps {
  readonly result: Result
  /** The request that was tried. */
  readonly body: TryBody
  readonly onRule: (id: string) => void
}

/** Verdict, matched rules, findings and the resulting text. */
export function TryResult({ result, body, onRule }: TryResultProps) {
  const { t } = useTranslation('policies')
  const { verdict, transforms, risk_level, classification, point, directives } = result
  const isAnswer = point === 'output'
  const text = isAnswer ? (body.response ?? '') : contentOf(body.request.messages[0])
  const marks = result.marks.filter(({ message }) => (message === null) === isAnswer)
  return (
    <Stack gap="md">
      <Group gap="xs" role="status" aria-label={t('try.verdict')}>
        <Verdict verdict={verdict} transforms={transforms} />
        <Level level={risk_level} prefix={t('try.risk')} />
        <Level level={classification} />
      </Group>
      <Part title={t('try.rules')}>
        <Rules result={result} onRule={onRule} />
        {directives.length > 0 && <Text size="sm">{t('try.directives', { directives: directives.join(', ') })}</Text>}
      </Part>
      <Part title={t('try.findings')}>
        <MarkedText text={text} marks={marks} />
        <Text size="sm" c="dimmed">
          {countsOf(result.findings[point] ?? {}) || t('try.noFindings')}
        </Text>
        <Text size="xs" c="dimmed">
          {t('try.names')}
        </Text>
      </Part>
      <Part title={t('try.result')}>
        <Outcome result={result} text={text} />
      </Part>
    </Stack>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Stack gap={4} component="section" aria-label={title}>
      <Title order={2} size="h6">
        {title}
      </Title>
      {children}
    </Stack>
  )
}

function Rules({ result: { rules, failed }, onRule }: Pick<TryResultProps, 'result' | 'onRule'>) {
  const { t } = useTranslation('policies')
  if (rules.length === 0 && failed.length === 0) return <Text size="sm">{t('try.noRules')}</Text>
  return (
    <List listStyleType="none" spacing="xs">
      {rules.map(({ id, point, verdict, description, transforms, directives, error }) => (
        <List.Item key={`${id} ${point}`}>
          <Group gap={6}>
            <Anchor component="button" type="button" size="sm" fw={600} ta="start" onClick={() => onRule(id)}>
              {id}
            </Anchor>
            <Text size="sm" c="dimmed">
              {point}
            </Text>
            <RuleVerdict verdict={verdict} transforms={transforms} directives={directives} />
          </Group>
          {description && <Text size="sm">{description}</Text>}
          {error && (
            <Text size="sm" c="red">
              {t('try.ruleFailed', { error })}
            </Text>
          )}
        </List.Item>
      ))}
      {failed.map((name) => (
        <List.Item key={name}>{t('try.stepFailed', { name })}</List.Item>
      ))}
    </List>
  )
}

/** The text that passes, and the texts that rules add before it. */
function Outcome({ result, text }: { readonly result: Result; readonly text: string }) {
  const { t } = useTranslation('policies')
  const { verdict, point, response, messages } = result
  if (verdict === 'deny') return <Text size="sm">{t('try.denied')}</Text>
  const passed = point === 'output' ? (response ?? '') : contentOf(messages.at(-1))
  const added = messages.slice(0, -1).map(contentOf)
  return (
    <>
      {verdict === 'require_approval' && <Text size="sm">{t('try.held')}</Text>}
      {point === 'input' &&
        added.map((instruction) => (
          <Text key={instruction} size="sm">
            {t('try.added', { instruction })}
          </Text>
        ))}
      {passed === text ? <Text size="sm">{t('try.unchanged')}</Text> : <MarkedText text={passed} marks={[]} />}
    </>
  )
}

function contentOf(message: unknown): string {
  const { content } = (message ?? {}) as { readonly content?: unknown }
  return typeof content === 'string' ? content : ''
}

const countsOf = (findings: Readonly<Record<string, number>>): string =>
  findingCounts(findings)
    .map(([type, count]) => `${findingLabel(type)} × ${count}`)
    .join(', ')
