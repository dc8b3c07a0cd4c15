/** Elements that are within the window. */
export interface Sight {
  has(element: Element): boolean;
}

/** Watches elements; `appeared` is called after some have come into sight. */
export function createSight(elements: readonly Element[], appeared: () => void): Sight {
  const seen = new Set<Element>();
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) seen.add(target);
      else seen.delete(target);
    }
    if (entries.some(({ isIntersecting }) => isIntersecting)) appeared();
  });
  for (const element of elements) observer.observe(element);
  return { has: (element) => seen.has(element) };
}
