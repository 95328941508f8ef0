import type { EditorView } from '@codemirror/view'
import { Button, Grid, Group, Tabs, Text } from '@mantine/core'
import { useCallback, useMemo, useRef, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useGo } from '../../routing/location.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { CodeEditor } from './code-editor.tsx'
import { DocumentView } from './document-view.tsx'
import { forgetDraft, type KeptDraft, keepDraft } from './kept-draft.ts'
import { Problems } from './problems.tsx'
import { ReplayPanel } from './replay-panel.tsx'
import { activeVersionIn, Superseded } from './superseded.tsx'
import { TestsPanel } from './tests-panel.tsx'
import { type Check, goToLine, writing } from './writing.ts'

interface DraftProps {
  /** Under which this window keeps what was written. */
  readonly storageKey: string
  readonly kept: KeptDraft
  readonly original: string
  /** The draft was discarded: another one begins from the active version. */
  readonly onDiscarded: () => void
}

/** The page itself tells of it; every other failure stays with the confirmation. */
function unlessSuperseded(error: unknown): void {
  if (!activeVersionIn(error)) throw error
}

/** The editor and, beside it, checks, tests, replay and changes of the draft. It decides nothing before it is published. */
export function Draft({ storageKey, kept, original, onDiscarded }: DraftProps) {
  const { from } = kept
  const [base, setBase] = useState(kept.base)
  const [start, setStart] = useState(kept.source ?? original)
  const [source, setSource] = useState(start)
  const [check, setCheck] = useState<Check>()
  const [view, setView] = useState<EditorView>()
  const { may } = useScopes()
  const go = useGo()
  const keepText = useRef((_text: string) => {})
  keepText.current = (text) => keepDraft(storageKey, { from, base, source: text })
  const onText = useCallback((text: string) => {
    setSource(text)
    keepText.current(text)
  }, [])
  const extensions = useMemo(() => writing({ onText, onCheck: setCheck }), [onText])
  const publish = useChange('post', '/admin/v1/policy-sets', {
    refresh: ['/admin/v1/policy-sets'],
    onDone: ({ id, name, version }) => {
      forgetDraft(storageKey)
      notifyDone(`${name} v${version} is in force`)
      go(`/policies/${id}`)
    },
  })
  const startOver = () => {
    view?.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: original } })
    setStart(original)
    setSource(original)
    forgetDraft(storageKey)
  }
  const superseding = activeVersionIn(publish.error)
  const keep = () => {
    if (!superseding) return
    setBase(superseding.id)
    keepDraft(storageKey, { from, base: superseding.id, source })
    publish.reset()
  }
  const discard = () => {
    forgetDraft(storageKey)
    onDiscarded()
  }
  const changed = source !== original
  const toLine = (line: number) => goToLine(view, line)
  return (
    <Frame
      title="Draft"
      description="It is kept in this window, and decides nothing before it is published."
      actions={
        <>
          <Button variant="default" disabled={!changed} onClick={startOver}>
            Start over
          </Button>
          {may('policies:write') && (
            <ConfirmButton
              size="sm"
              variant="filled"
              destructive={false}
              disabled={!changed || !check?.ok}
              question="Publish this draft?"
              consequence="It becomes the next version, and every request from now on is decided by it. The version before stays, and can be put in force again."
              onConfirm={() =>
                publish.mutateAsync({ params: { query: { base_version: base } }, body: { source } }).catch(unlessSuperseded)
              }
            >
              Publish
            </ConfirmButton>
          )}
        </>
      }
    >
      {superseding && <Superseded active={superseding} original={original} onKeep={keep} onDiscard={discard} />}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <CodeEditor label="Policy document" document={start} extensions={extensions} onView={setView} />
          <Group gap="md" mt={4}>
            <Text size="xs" c="dimmed">
              Ctrl+Space completes
            </Text>
            <Text size="xs" c="dimmed">
              F8 goes to the next problem
            </Text>
          </Group>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Tabs defaultValue="problems" keepMounted>
            <Tabs.List mb="md">
              <Tabs.Tab value="problems">Problems{check && check.errors.length > 0 && ` (${check.errors.length})`}</Tabs.Tab>
              <Tabs.Tab value="tests">Tests</Tabs.Tab>
              <Tabs.Tab value="replay">Replay</Tabs.Tab>
              <Tabs.Tab value="changes">Changes</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="problems">
              <Problems check={check} onLine={toLine} />
            </Tabs.Panel>
            <Tabs.Panel value="tests">
              <TestsPanel source={source} ready={check?.ok === true} onLine={toLine} />
            </Tabs.Panel>
            <Tabs.Panel value="replay">
              <ReplayPanel source={source} ready={check?.ok === true} />
            </Tabs.Panel>
            <Tabs.Panel value="changes">
              {changed ? <DocumentView source={source} since={original} /> : <Text>Nothing has changed yet.</Text>}
            </Tabs.Panel>
          </Tabs>
        </Grid.Col>
      </Grid>
    </Frame>
  )
}
