import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useChange, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useGo, usePathParam } from '../../routing/location.ts'
import { changedOnly } from '../../ui/changed-only.ts'
import { Classification } from '../../ui/classification.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Facts } from '../../ui/facts.tsx'
import { showInForm } from '../../ui/form-errors.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { useEdited } from '../../ui/use-edited.ts'
import { aclInWords } from './acl.ts'
import { type Collection, CollectionForm, collectionBody, useCollectionForm, valuesOf } from './collection-form.tsx'
import { DocumentsSection } from './documents-section.tsx'
import { UploadSection } from './upload-section.tsx'

const REFRESH = ['/admin/v1/collections', '/admin/v1/documents']

/** One collection: who may read it, what is in it, and how more comes in. */
export function Page() {
  const id = usePathParam('id')
  const { data: collection, error, refetch } = useRead('/admin/v1/collections/{id}', { params: { path: { id } } })
  const changes = useScopes().may('knowledge:write')
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!collection) return <PageSkeleton />
  return (
    <Frame
      title={collection.name}
      description={collection.description || undefined}
      actions={
        <>
          <LinkButton to="/knowledge" variant="subtle">
            All collections
          </LinkButton>
          {changes && <Deletion collection={collection} />}
        </>
      }
    >
      <Section title="Who may read" actions={changes && <EditButton collection={collection} />}>
        <Facts
          facts={[
            ['Readers', aclInWords(collection.acl, 'Nobody, unless a document says who')],
            ['Classification', <Classification key="level" level={collection.classification} otherwise="none: restricted" />],
            ['Regulations', collection.regulations.join(', ') || null],
            ['Serves', served(collection.applications)],
            ['Id', <Copyable key="id" value={collection.id} what="the id" />],
          ]}
        />
      </Section>
      {changes && <UploadSection collectionId={id} />}
      <DocumentsSection collectionId={id} mayAdd={changes} />
    </Frame>
  )
}

const served = (applications: Collection['applications']): string =>
  applications === null
    ? 'Every Application'
    : `${applications.length} ${applications.length === 1 ? 'Application' : 'Applications'}`

function EditButton({ collection }: { readonly collection: Collection }) {
  const [opened, { open, close }] = useDisclosure()
  const form = useCollectionForm(collection)
  const update = useChange('patch', '/admin/v1/collections/{id}', {
    refresh: REFRESH,
    onDone: () => {
      form.resetDirty()
      close()
    },
  })
  useEdited(form, valuesOf(collection))
  const { id } = collection
  const dismiss = () => {
    close()
    form.reset()
  }
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        Change
      </Button>
      <FormModal
        opened={opened}
        unsaved={form.isDirty() && !update.isPending}
        onClose={dismiss}
        title={`Change ${collection.name}`}
        size="lg"
      >
        <CollectionForm
          form={form}
          submit="Save"
          pending={update.isPending}
          onSubmit={(values) =>
            update.mutate(
              { params: { path: { id } }, body: changedOnly(collectionBody(values), collectionBody(valuesOf(collection))) },
              { onError: showInForm(form) },
            )
          }
        />
      </FormModal>
    </>
  )
}

function Deletion({ collection: { id, name } }: { readonly collection: Collection }) {
  const go = useGo()
  const remove = useChange('delete', '/admin/v1/collections/{id}', {
    expire: REFRESH,
    onDone: () => go('/knowledge'),
  })
  return (
    <ConfirmButton
      size="sm"
      color="red"
      question={`Delete ${name}?`}
      consequence="Nothing of it is found any more, and its documents are erased. This cannot be taken back."
      onConfirm={() => remove.mutateAsync({ params: { path: { id } } })}
    >
      Delete
    </ConfirmButton>
  )
}
