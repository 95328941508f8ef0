import { Alert, Button, Group, Kbd, Stack, Text, Textarea } from '@mantine/core'
import { IconCheck, IconEye, IconX } from '@tabler/icons-react'
import { type KeyboardEvent, type Ref, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Trans, useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'
import { useLetterKeys } from '../../ui/use-letter-keys.ts'
import { useUnsavedWarning } from '../../ui/use-unsaved-warning.ts'
import type { Verb } from './as-decided.ts'
import { ReasonTemplates } from './reason-templates.tsx'
import type { ReviewItem } from './review-item.ts'
import { returnedDecision, useDecide } from './use-decide.tsx'

interface DecisionFormProps {
  readonly item: ReviewItem
  /** The item was visible long enough (decision 0021). */
  readonly ready: boolean
  readonly onDecided: () => void
}

const CHOICES = [
  { verb: 'approve', kind: 'hold', letter: 'A', color: 'green', icon: IconCheck },
  { verb: 'deny', kind: 'hold', letter: 'D', color: 'red', icon: IconX },
  { verb: 'acknowledge', kind: 'escalation', letter: 'E', color: 'gate', icon: IconEye },
] as const

/** Comment and buttons of a decision, or the reason why the operator may not decide. */
export function DecisionForm(props: DecisionFormProps) {
  const { item } = props
  const { t } = useTranslation('reviews')
  const operatorId = useSession().data?.operator.id ?? ''
  if (operatorId === item.user_id) return <Alert color="yellow">{t('decision.ownRequest')}</Alert>
  if (item.key_issuers.includes(operatorId)) {
    return <Alert color="yellow">{t('decision.ownKey')}</Alert>
  }
  if (item.approvals.some(({ by }) => by === operatorId)) return <Alert color="yellow">{t('approvals.yours')}</Alert>
  return <DecisionInputs {...props} />
}

/** A letter key selects a decision and Enter confirms it, so that no single key press decides by accident. */
function DecisionInputs({ item, ready, onDecided }: DecisionFormProps) {
  const returned = returnedDecision(item.id)
  const [comment, setComment] = useState(returned?.comment ?? '')
  const [selected, setSelected] = useState<Verb>()
  const input = useRef<HTMLTextAreaElement>(null)
  const sendLater = useDecide([item])
  useUnsavedWarning(comment.trim() !== '')
  const choices = CHOICES.filter(({ kind }) => kind === item.kind)
  const decide = (verb: Verb) => {
    // The form is gone before the next item opens, so that its comment does not ask for confirmation.
    flushSync(() => sendLater([item], verb, comment))
    onDecided()
  }
  const select = (verb: Verb) => {
    setSelected(verb)
    input.current?.focus()
  }
  useLetterKeys(choices.map(({ letter, verb }) => [letter, () => select(verb)]))
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      setSelected(undefined)
      input.current?.blur()
    } else if (event.key === 'Enter' && !event.shiftKey && selected) {
      event.preventDefault()
      if (ready && !event.repeat) decide(selected)
    }
  }
  const insert = (reason: string) => {
    setComment((before) => (before.trim() ? `${before.trim()} ${reason}` : reason))
    input.current?.focus()
  }
  if (returned?.refusal !== undefined) return <Alert color="yellow">{returned.refusal}</Alert>
  return (
    <Stack gap="xs">
      <Group align="end" gap="xs" wrap="nowrap">
        <CommentField inputRef={input} value={comment} onChange={setComment} onKeyDown={onKeyDown} />
        <ReasonTemplates onInsert={insert} />
      </Group>
      <Group gap="xs" wrap="nowrap">
        {choices.map((choice) => (
          <DecisionButton key={choice.verb} choice={choice} selected={selected} disabled={!ready} onDecide={decide} />
        ))}
        <KeyHint verb={selected} ready={ready} />
      </Group>
    </Stack>
  )
}

interface CommentFieldProps {
  readonly inputRef: Ref<HTMLTextAreaElement>
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onKeyDown: (event: KeyboardEvent) => void
}

function CommentField({ inputRef, value, onChange, onKeyDown }: CommentFieldProps) {
  const { t } = useTranslation('reviews')
  return (
    <Textarea
      ref={inputRef}
      flex={1}
      label={t('decision.comment')}
      placeholder={t('decision.commentHint')}
      autosize
      minRows={1}
      maxRows={6}
      maxLength={4_000}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  )
}

interface KeyHintProps {
  readonly verb: Verb | undefined
  readonly ready: boolean
}

/** Why the buttons are disabled, or how to confirm the selected decision. Next to the buttons, so that they do not move when it changes. */
function KeyHint({ verb, ready }: KeyHintProps) {
  const { t } = useTranslation('reviews')
  return (
    <Text size="xs" role="status" flex={1}>
      {!ready && t('decision.settling')}
      {ready && verb && (
        <Trans
          ns="reviews"
          i18nKey={`decision.confirm.${verb}`}
          components={{ enter: <Kbd size="xs" />, escape: <Kbd size="xs" /> }}
        />
      )}
    </Text>
  )
}

interface DecisionButtonProps {
  readonly choice: (typeof CHOICES)[number]
  readonly selected: Verb | undefined
  readonly disabled: boolean
  readonly onDecide: (verb: Verb) => void
}

function DecisionButton({ choice, selected, disabled, onDecide }: DecisionButtonProps) {
  const { t } = useTranslation('reviews')
  const { verb, letter, color, icon: Icon } = choice
  return (
    <Button
      color={color}
      flex="none"
      variant={selected === verb || (!selected && verb !== 'deny') ? 'filled' : 'light'}
      disabled={disabled}
      leftSection={<Icon size={16} />}
      rightSection={
        <Kbd size="xs" aria-hidden visibleFrom="sm">
          {letter}
        </Kbd>
      }
      aria-keyshortcuts={letter}
      onClick={() => onDecide(verb)}
    >
      {t(`decision.${verb}`)}
    </Button>
  )
}
