import type { EditorView } from '@codemirror/view'
import { Button, Grid, Group, Tabs, Text } from '@mantine/core'
import { useCallback, useMemo, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useGo } from '../../routing/location.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { CodeEditor } from './code-editor.tsx'
import { DocumentView } from './document-view.tsx'
import { Problems } from './problems.tsx'
import { ReplayPanel } from './replay-panel.tsx'
import { TestsPanel } from './tests-panel.tsx'
import { type Check, goToLine, writing } from './writing.ts'

interface DraftProps {
  /** Under which this window keeps what was written. */
  readonly storageKey: string
  readonly original: string
}

/** The editor, and beside it whatever tells what the draft would do. Nothing of it counts before it is published. */
export function Draft({ storageKey, original }: DraftProps) {
  const [start, setStart] = useState(() => sessionStorage.getItem(storageKey) ?? original)
  const [source, setSource] = useState(start)
  const [check, setCheck] = useState<Check>()
  const [view, setView] = useState<EditorView>()
  const { may } = useScopes()
  const go = useGo()
  const onText = useCallback(
    (text: string) => {
      setSource(text)
      sessionStorage.setItem(storageKey, text)
    },
    [storageKey],
  )
  const extensions = useMemo(() => writing({ onText, onCheck: setCheck }), [onText])
  const publish = useChange('post', '/admin/v1/policy-sets', {
    refresh: ['/admin/v1/policy-sets'],
    onDone: ({ id, name, version }) => {
      sessionStorage.removeItem(storageKey)
      notifyDone(`${name} v${version} is in force`)
      go(`/policies/${id}`)
    },
  })
  const startOver = () => {
    sessionStorage.removeItem(storageKey)
    setStart(original)
    setSource(original)
    view?.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: original } })
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
              disabled={!changed || !check?.ok}
              question="Publish this draft?"
              consequence="It becomes the next version, and every request from now on is decided by it. The version before stays, and can be put in force again."
              onConfirm={() => publish.mutateAsync({ body: { source } })}
            >
              Publish
            </ConfirmButton>
          )}
        </>
      }
    >
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
