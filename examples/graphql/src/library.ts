// The data that the API shows. In a real service these two functions are queries of a database.

export interface Post {
  readonly id: number;
  readonly title: string;
  readonly authorId: number;
}

export interface Author {
  readonly id: number;
  readonly name: string;
}

export interface Library {
  posts(limit: number): Promise<readonly Post[]>;
  /** One query for many authors: `select … where id = any($1)`. Ends early once the signal aborts. */
  authors(ids: readonly number[], signal: AbortSignal): Promise<readonly Author[]>;
}

const names = ['Ada', 'Grace', 'Edsger', 'Barbara', 'Donald'];
const titles = ['On engines', 'On compilers', 'On elegance', 'On types', 'On programs', 'On bugs'];

export function createMemoryLibrary(): Library {
  const posts = Array.from({ length: 60 }, (_, index) => ({
    id: index,
    title: `${titles[index % titles.length]}, part ${Math.floor(index / titles.length) + 1}`,
    authorId: index % names.length,
  }));
  return {
    posts: async (limit) => posts.slice(0, limit),
    authors: async (ids) => ids.flatMap((id) => ({ id, name: names[id] ?? 'unknown' })),
  };
}
