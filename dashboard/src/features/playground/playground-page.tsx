import { Button, Drawer, Group, SegmentedControl } from '@mantine/core'
import { useDisclosure, useMediaQuery } from '@mantine/hooks'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApplicationNames } from '../../api/application-names.ts'
import { useSession } from '../../api/session.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { useFilters } from '../../routing/location.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { identityOf } from './chat.ts'
import { ChatPanel } from './chat-panel.tsx'
import { claimStore, findChat, parametersOf, saveSearch, startChat, useSaved } from './chat-store.ts'
import { CodeButton } from './code-button.tsx'
import classes from './playground.module.css'
import { modelsOf, type PlaygroundFilters, readFilters } from './playground-filters.ts'
import { RecentChats } from './recent-chats.tsx'
import { SettingsPanel } from './settings-panel.tsx'
import { TracePanel } from './trace-panel.tsx'
import { useFirstModel } from './use-first-model.ts'

const PANELS = ['settings', 'chat', 'trace'] as const
type Panel = (typeof PANELS)[number]

/** Sends chat requests as an Application, to one or several models, and shows the trace of each. */
export function Page() {
  const { t } = useTranslation('playground')
  const operator = useSession().data?.operator.id ?? ''
  useMemo(() => claimStore(operator), [operator])
  const workspace = useWorkspace()
  const { filters, setFilters, isLoaded } = useOptions(workspace)
  const saved = useSaved()
  const identity = identityOf(filters)
  const chat = useMemo(() => findChat(saved, workspace, identity), [saved, workspace, identity])
  const parameters = parametersOf(saved, workspace, filters.application)
  const [stepId, showTrace] = useState<string>()
  const isWide = useMediaQuery('(min-width: 75em)', true, { getInitialValueInEffect: false })
  const [panel, setPanel] = useState<Panel>('chat')
  // Several models need the room of the trace, which opens over them.
  const isSideBySide = isWide && modelsOf(filters).length > 1
  const [isTraceOpen, trace] = useDisclosure(false)
  const shows = (one: Panel) => (isWide ? !(isSideBySide && one === 'trace') : panel === one)
  const openTrace = (id: string) => {
    showTrace(id)
    if (isSideBySide) trace.open()
    else if (!isWide) setPanel('trace')
  }
  return (
    <Frame
      title={t('title')}
      description={t('description')}
      actions={
        <Group gap="xs">
          <RecentChats workspace={workspace} onOpen={setFilters} />
          <CodeButton filters={filters} parameters={parameters} turns={chat?.turns ?? []} />
          <Button variant="default" disabled={!chat || chat.turns.length === 0} onClick={() => startChat(workspace, identity)}>
            {t('newChat')}
          </Button>
        </Group>
      }
    >
      {!isWide && (
        <SegmentedControl
          fullWidth
          className={classes.panels ?? ''}
          aria-label={t('panels.label')}
          data={PANELS.map((value) => ({ value, label: t(`panels.${value}`) }))}
          value={panel}
          onChange={(value) => setPanel(value as Panel)}
        />
      )}
      <div className={classes.workbench} data-side-by-side={isSideBySide || undefined}>
        {shows('settings') && (
          <SettingsPanel workspace={workspace} filters={filters} parameters={parameters} onChange={setFilters} />
        )}
        {shows('chat') && (
          <ChatPanel
            chat={chat}
            newChat={() => startChat(workspace, identity)}
            filters={filters}
            isLoaded={isLoaded}
            parameters={parameters}
            shownStep={isSideBySide && !isTraceOpen ? undefined : stepId}
            onShowTrace={openTrace}
            onSent={showTrace}
          />
        )}
        {shows('trace') && <TracePanel chat={chat} stepId={stepId} />}
      </div>
      <Drawer opened={isSideBySide && isTraceOpen} onClose={trace.close} position="right" title={t('panels.trace')}>
        <TracePanel chat={chat} stepId={stepId} />
      </Drawer>
    </Frame>
  )
}

const NO_OPTIONS = '{}'

/** The options of the URL. A visit without any has those of the last visit, and the first Application and model otherwise. */
function useOptions(workspace: string | undefined) {
  const [inUrl, setFilters] = useFilters(readFilters)
  const text = JSON.stringify(inUrl)
  const last = useSaved().searches[workspace ?? '']
  const chosen = text === NO_OPTIONS && last ? readFilters(last) : inUrl
  const [firstApplication] = useApplicationNames().choices
  const kept = { ...chosen, application: chosen.application ?? firstApplication?.value }
  const first = useFirstModel(kept.application)
  useEffect(() => {
    if (text !== NO_OPTIONS) saveSearch(workspace, JSON.parse(text))
  }, [workspace, text])
  return {
    filters: { ...kept, model: kept.model ?? first.model },
    setFilters: (changes: Partial<PlaygroundFilters>) => setFilters({ ...kept, ...changes }),
    isLoaded: kept.model !== undefined || first.isLoaded,
  }
}
