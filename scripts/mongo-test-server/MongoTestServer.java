import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;

/** Speaks MongoDB's protocol on a free port of loopback, which it prints; keeps all in memory. */
public class MongoTestServer {
  public static void main(String[] arguments) {
    System.out.println(new MongoServer(new MemoryBackend()).bind().getPort());
  }
}
