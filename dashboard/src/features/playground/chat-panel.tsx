import { Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useApplicationNames } from '../../api/application-names.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LinkButton } from '../../ui/link.tsx'
import type { Chat, Turn } from './chat.ts'
import { chatActions, isPending } from './chat-actions.ts'
import { Composer } from './composer.tsx'
import type { Parameters } from './parameters.ts'
import classes from './playground.module.css'
import { modelsOf, type PlaygroundFilters } from './playground-filters.ts'
import { TurnCard } from './turn-card.tsx'
import { useScrollToEnd } from './use-scroll-to-end.ts'

interface ChatPanelProps {
  /** Undefined: nothing was sent yet. */
  readonly chat: Chat | undefined
  readonly newChat: () => Chat
  readonly filters: PlaygroundFilters
  /** Whether the filters are complete. */
  readonly isLoaded: boolean
  readonly parameters: Parameters
  /** Step whose trace is shown. */
  readonly shownStep: string | undefined
  readonly onShowTrace: (stepId: string) => void
  /** Called with the first step of a message that was sent. */
  readonly onSent: (stepId: string) => void
}

const NO_TURNS: readonly Turn[] = []

/** Messages of the chat and the input for the next one. */
export function ChatPanel({ chat, newChat, filters, isLoaded, parameters, shownStep, onShowTrace, onSent }: ChatPanelProps) {
  const { t } = useTranslation('playground')
  const turns = chat?.turns ?? NO_TURNS
  const end = useScrollToEnd(turns)
  const { application } = filters
  const actionsOf = (one: Chat) => chatActions({ chat: one, applicationId: application ?? '', filters, parameters })
  return (
    <Stack className={classes.chat ?? ''}>
      <Stack role="log" aria-label={t('chat.label')} aria-live="polite" flex={1}>
        {turns.length === 0 && <NoTurns />}
        {chat &&
          turns.map((turn) => (
            <TurnCard
              key={turn.id}
              turn={turn}
              actions={actionsOf(chat)}
              disabled={isPending(turns)}
              shownStep={shownStep}
              onShowTrace={onShowTrace}
              onSent={onSent}
            />
          ))}
        <div ref={end} className={classes.end} />
      </Stack>
      <Composer
        disabled={application === undefined || !isLoaded}
        models={modelsOf(filters).length}
        pending={isPending(turns)}
        onSend={(prompt) => onSent(actionsOf(chat ?? newChat()).send(prompt))}
        onStop={() => chat && actionsOf(chat).stop()}
      />
    </Stack>
  )
}

/** Shown before the first message. */
function NoTurns() {
  const { t } = useTranslation('playground')
  if (!useApplicationNames().isEmpty) return <EmptyState title={t('chat.empty')}>{t('chat.emptyHint')}</EmptyState>
  return (
    <EmptyState
      title={t('chat.noApplications')}
      action={<LinkButton to="/applications">{t('chat.openApplications')}</LinkButton>}
    >
      {t('chat.noApplicationsHint')}
    </EmptyState>
  )
}
