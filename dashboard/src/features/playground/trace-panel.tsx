import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../ui/empty-state.tsx'
import type { Chat, Step, Turn } from './chat.ts'
import classes from './playground.module.css'
import { textsOf } from './policy-test.ts'
import { Trace } from './trace.tsx'

interface TracePanelProps {
  readonly chat: Chat | undefined
  readonly stepId: string | undefined
}

/** The trace of the chosen step, or of the last one. */
export function TracePanel({ chat, stepId }: TracePanelProps) {
  const { t } = useTranslation('playground')
  const steps = (chat?.turns ?? []).flatMap(stepsIn)
  const shown = steps.find(({ step }) => step.id === stepId) ?? steps.at(-1)
  const auditId = shown?.step.auditId
  return (
    <div className={classes.side}>
      {shown && auditId ? (
        <Trace key={auditId} auditId={auditId} as={chat?.identity.as} texts={textsOf(shown.turn, shown.step)} />
      ) : (
        <EmptyState title={t('trace.none')}>{t('trace.noneHint')}</EmptyState>
      )}
    </div>
  )
}

const stepsIn = (turn: Turn): readonly { readonly turn: Turn; readonly step: Step }[] =>
  turn.replies.flatMap(({ steps }) => steps.map((step) => ({ turn, step })))
