// One process of rooms. It does not listen: the router hands it the connections of its rooms.
import http from 'node:http';
import { attachServer } from '@ticketing/socket-router/worker';
import { type WebSocket, WebSocketServer } from 'ws';
import { roomOf } from './rooms.ts';

const version = process.env['VERSION'];
const rooms = new Map<string, Set<WebSocket>>();

const server = http.createServer((_, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ pid: process.pid, version }));
});
const sockets = new WebSocketServer({ server, maxPayload: 64 * 1024 });
sockets.on('connection', (socket, { url }) => {
  const name = roomOf(url);
  if (name === undefined) return socket.close(1008, 'no such room');
  const members = rooms.get(name) ?? new Set();
  rooms.set(name, members.add(socket));
  socket.send(JSON.stringify({ joined: name, pid: process.pid, version }));
  socket.on('message', (data) => {
    for (const member of members) member.send(String(data));
  });
  socket.on('error', () => {}); // `close` follows
  socket.on('close', () => {
    members.delete(socket);
    if (members.size === 0) rooms.delete(name);
  });
});

const worker = attachServer(server);
// 1012: the service restarts, connect again. Without it members would wait until the grace cuts them off.
worker.draining.addEventListener('abort', () => {
  for (const socket of sockets.clients) socket.close(1012, 'restarting');
});
