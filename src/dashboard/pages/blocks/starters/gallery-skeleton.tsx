/** Stands where a gallery will be, and is as large. */
export const GallerySkeleton = ({ starters }: { starters: number }) => (
  <div role="status" aria-label="Loading">
    <div className="mb-2 h-5" />
    <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-4">
      {Array.from({ length: starters }, (_, index) => (
        <div key={String(index)} className="min-w-0 rounded-lg border bg-raised">
          <div className="aspect-square animate-pulse bg-sunken" />
          <div className="h-17 border-t" />
        </div>
      ))}
    </div>
  </div>
)
